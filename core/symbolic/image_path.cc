#include "core/symbolic/image_path.h"

#include <link.h>

#include <cstdint>

namespace affirm {

std::string ImagePath() {
  struct Search {
    uintptr_t address;
    std::string path;
  } search = {reinterpret_cast<uintptr_t>(&ImagePath), "/proc/self/exe"};
  dl_iterate_phdr(
      [](dl_phdr_info* image, size_t, void* data) {
        auto& search = *static_cast<Search*>(data);
        for (int i = 0; i < image->dlpi_phnum; ++i) {
          const auto& segment = image->dlpi_phdr[i];
          const uintptr_t start = image->dlpi_addr + segment.p_vaddr;
          if (segment.p_type != PT_LOAD || search.address - start >= segment.p_memsz) continue;
          // The loader names shared objects only.
          if (*image->dlpi_name != '\0') search.path = image->dlpi_name;
          return 1;
        }
        return 0;
      },
      &search);
  return search.path;
}

}  // namespace affirm
