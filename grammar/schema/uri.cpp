#include "schema/uri.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace weir::schema {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

struct UriParts {
  std::string_view scheme;     // without ':'
  std::string_view authority;  // without "//"
  std::string_view path;
  std::string_view query;  // without '?'
  bool has_authority = false;
  bool has_query = false;
};

UriParts split(std::string_view uri) {
  UriParts parts;
  uri = without_fragment(uri);
  const std::size_t stop = uri.find_first_of(":/?");
  if (stop != std::string_view::npos && stop > 0 && uri[stop] == ':' && is_letter(uri[0])) {
    parts.scheme = uri.substr(0, stop);
    uri.remove_prefix(stop + 1);
  }
  if (uri.starts_with("//")) {
    uri.remove_prefix(2);
    const std::size_t end = std::min(uri.find_first_of("/?"), uri.size());
    parts.authority = uri.substr(0, end);
    parts.has_authority = true;
    uri.remove_prefix(end);
  }
  const std::size_t query = uri.find('?');
  parts.path = uri.substr(0, query);
  if (query != std::string_view::npos) {
    parts.query = uri.substr(query + 1);
    parts.has_query = true;
  }
  return parts;
}

// Section 5.2.4.
std::string remove_dot_segments(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    if (path.starts_with("../")) {
      path.remove_prefix(3);
    } else if (path.starts_with("./") || path.starts_with("/./")) {
      path.remove_prefix(2);
    } else if (path == "/.") {
      path = "/";
    } else if (path.starts_with("/../") || path == "/..") {
      path = path.size() > 3 ? path.substr(3) : std::string_view("/");
      out.resize(out.find_last_of('/') == std::string::npos ? 0 : out.find_last_of('/'));
    } else if (path == "." || path == "..") {
      path = {};
    } else {
      const std::size_t end = std::min(path.find('/', 1), path.size());
      out += path.substr(0, end);
      path.remove_prefix(end);
    }
  }
  return out;
}

}  // namespace

bool is_uri_reference(std::string_view text) {
  constexpr auto kAllowed = [] {
    std::array<bool, 256> allowed{};
    for (std::size_t c = 0x80; c < allowed.size(); ++c) allowed[c] = true;
    for (const char c : std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                         "-._~:/?#[]@!$&'()*+,;=")) {
      allowed[static_cast<unsigned char>(c)] = true;
    }
    return allowed;
  }();
  bool fragment = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size() || hex_digit(text[i + 1]) < 0 || hex_digit(text[i + 2]) < 0) return false;
      i += 2;
    } else if (!kAllowed[static_cast<unsigned char>(text[i])] || (fragment && text[i] == '#')) {
      return false;
    }
    fragment = fragment || text[i] == '#';
  }
  return true;
}

std::string_view without_fragment(std::string_view uri) { return uri.substr(0, uri.find('#')); }

std::optional<std::string_view> fragment_of(std::string_view uri) {
  const std::size_t at = uri.find('#');
  if (at == std::string_view::npos) return std::nullopt;
  return uri.substr(at + 1);
}

std::string resolve_uri(std::string_view base, std::string_view reference) {
  const UriParts r = split(reference);
  const UriParts b = split(base);
  std::string scheme;
  std::string_view authority = b.authority;
  bool has_authority = b.has_authority;
  std::string path;
  std::string_view query = r.query;
  bool has_query = r.has_query;
  if (!r.scheme.empty() || r.has_authority) {
    scheme = r.scheme.empty() ? b.scheme : r.scheme;
    authority = r.authority;
    has_authority = r.has_authority;
    // Only hierarchical paths have dot segments; that of "urn:a:b" stays as it is.
    path = r.path.starts_with('/') ? remove_dot_segments(r.path) : std::string(r.path);
  } else {
    scheme = b.scheme;
    if (r.path.empty()) {
      path = b.path;
      if (!has_query) {
        query = b.query;
        has_query = b.has_query;
      }
    } else if (r.path.starts_with('/')) {
      path = remove_dot_segments(r.path);
    } else if (b.has_authority && b.path.empty()) {
      path = remove_dot_segments("/" + std::string(r.path));
    } else {
      const std::size_t slash = b.path.find_last_of('/');
      std::string merged(slash == std::string_view::npos ? std::string_view() : b.path.substr(0, slash + 1));
      merged += r.path;
      path = merged.starts_with('/') ? remove_dot_segments(merged) : merged;
    }
  }
  std::string out;
  if (!scheme.empty()) out.append(scheme).append(":");
  if (has_authority) out.append("//").append(authority);
  out += path;
  if (has_query) out.append("?").append(query);
  return out;
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size() || hex_digit(text[i + 1]) < 0 || hex_digit(text[i + 2]) < 0) return std::nullopt;
    out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
    i += 2;
  }
  return out;
}

}  // namespace weir::schema
