// The one way weir reports failure: Result<T>, holding a value or an Error.
//
//   weir::Result<int> parsed = parse(text);
//   if (!parsed) return parsed.error();      // pass it up, or print error().to_string()
//   use(*parsed);
//
// An Error says what went wrong, where, and what to do about it. Nothing in the library prints, aborts
// or throws on bad input; value() throws ErrorException for callers who prefer exceptions.
// Thread safety: plain values, as for any standard container.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace weir {

// What kind of failure this is, for programs; `Error::message` is for people.
enum class ErrorCode : std::uint8_t {
  kSyntax,         // the text is not well-formed (JSON, EBNF, regular expression, model or tokenizer file)
  kInvalid,        // well-formed, but means nothing ("type": "strng", an undefined rule)
  kUnsupported,    // meaningful, but weir cannot do it exactly and so refuses
  kUnsatisfiable,  // no text at all matches
  kLimit,          // a budget of Limits ran out
  kIo,             // a file could not be read
  kArgument,       // a caller's argument is out of its domain
};

// The stable spelling of a code, as the command line prints it: "syntax", "unsupported", ...
const char* to_string(ErrorCode code) noexcept;

struct Error {
  ErrorCode code = ErrorCode::kInvalid;
  std::string message;                 // what is wrong and what to do, one sentence or two, no trailing newline
  std::optional<std::string> pointer;  // JSON Pointer (RFC 6901) into the schema; "" is the root
  std::uint32_t line = 0;              // 1-based; 0 = not a place in a text
  std::uint32_t column = 0;            // 1-based, counted in code points
  std::string document = {};           // the URI of the document that `pointer` is in; empty: the one given

  // "3:14: expected ';' after the rule", "/properties/a/pattern: unknown escape \q" or, in another document,
  // "https://example.com/a.json#/properties/a/pattern: unknown escape \q".
  std::string to_string() const;
};

// Builds errors in one line at the place where they are found.
Error error_at_pointer(ErrorCode code, std::string pointer, std::string message);
Error error_at_line(ErrorCode code, std::uint32_t line, std::uint32_t column, std::string message);
// Line and column of byte `offset` in `text`; offsets past the end mean the end. O(offset).
Error error_at_offset(ErrorCode code, std::string_view text, std::size_t offset, std::string message);
inline Error make_error(ErrorCode code, std::string message) { return Error{code, std::move(message), {}, 0, 0}; }

// Thrown only by Result::value().
class ErrorException : public std::exception {
 public:
  explicit ErrorException(Error error) : error_(std::move(error)), text_(error_.to_string()) {}
  const char* what() const noexcept override { return text_.c_str(); }
  const Error& error() const noexcept { return error_; }

 private:
  Error error_;
  std::string text_;
};

// A value or an Error. Test it, then dereference; dereferencing an error is undefined, value() throws instead.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const noexcept { return content_.index() == 0; }
  bool ok() const noexcept { return content_.index() == 0; }

  T& operator*() & noexcept { return *std::get_if<0>(&content_); }
  const T& operator*() const& noexcept { return *std::get_if<0>(&content_); }
  T&& operator*() && noexcept { return std::move(*std::get_if<0>(&content_)); }
  T* operator->() noexcept { return std::get_if<0>(&content_); }
  const T* operator->() const noexcept { return std::get_if<0>(&content_); }

  // Precondition: !ok().
  const Error& error() const noexcept { return *std::get_if<1>(&content_); }

  // The value, or throws ErrorException.
  T& value() & {
    require();
    return *std::get_if<0>(&content_);
  }
  T&& value() && {
    require();
    return std::move(*std::get_if<0>(&content_));
  }

 private:
  void require() const {
    if (!ok()) throw ErrorException(error());
  }
  std::variant<T, Error> content_;
};

// Success or an Error, for functions that have nothing to return.
using Status = Result<std::monostate>;
inline Status ok_status() { return Status(std::monostate{}); }

}  // namespace weir
