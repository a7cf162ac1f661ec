#include "weir/grammar/detail/utf8.hpp"
