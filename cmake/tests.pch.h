// Precompiled once for every test program: the test frameworks, beside what the libraries share.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "common.pch.h"
