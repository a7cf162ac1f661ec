#include "weir/grammar/result.hpp"

#include <string>

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> value = 7;
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(*value, 7);

  const Result<int> failure = make_error(ErrorCode::kIo, "cannot read x.json");
  ASSERT_FALSE(failure.ok());
  EXPECT_EQ(failure.error().code, ErrorCode::kIo);
  EXPECT_EQ(failure.error().message, "cannot read x.json");
}

TEST(Result, ValueThrowsTheErrorItHolds) {
  Result<std::string> failure = error_at_pointer(ErrorCode::kUnsupported, "/not", "cannot do this");
  try {
    failure.value();
    FAIL() << "value() returned";
  } catch (const ErrorException& e) {
    EXPECT_STREQ(e.what(), "/not: cannot do this");
    EXPECT_EQ(e.error().code, ErrorCode::kUnsupported);
  }
}

TEST(Error, SaysWhereWithAPointerOrALine) {
  EXPECT_EQ(error_at_pointer(ErrorCode::kInvalid, "", "no").to_string(), "(root): no");
  EXPECT_EQ(error_at_pointer(ErrorCode::kInvalid, "/a/0", "no").to_string(), "/a/0: no");
  EXPECT_EQ(error_at_line(ErrorCode::kSyntax, 3, 14, "no").to_string(), "3:14: no");
  EXPECT_EQ(make_error(ErrorCode::kArgument, "no").to_string(), "no");
}

TEST(Error, CountsLinesFromOneAndColumnsInCodePoints) {
  struct Case {
    const char* text;
    std::size_t offset;
    std::uint32_t line;
    std::uint32_t column;
  };
  const Case cases[] = {
      {"", 0, 1, 1},
      {"abc", 2, 1, 3},
      {"ab\ncd", 2, 1, 3},  // the newline itself ends line 1
      {"ab\ncd", 3, 2, 1},
      {"\n\n", 2, 3, 1},
      {"\xC3\xA9x", 2, 1, 2},  // two bytes, one code point
      {"\xF0\x9F\x98\x80\nyz", 6, 2, 2},
      {"ab", 99, 1, 3},  // past the end means the end
  };
  for (const Case& c : cases) {
    const Error error = error_at_offset(ErrorCode::kSyntax, c.text, c.offset, "x");
    EXPECT_EQ(error.line, c.line) << c.text << " at " << c.offset;
    EXPECT_EQ(error.column, c.column) << c.text << " at " << c.offset;
  }
}

TEST(ErrorCode, HasAStableSpelling) {
  EXPECT_STREQ(to_string(ErrorCode::kSyntax), "syntax");
  EXPECT_STREQ(to_string(ErrorCode::kInvalid), "invalid");
  EXPECT_STREQ(to_string(ErrorCode::kUnsupported), "unsupported");
  EXPECT_STREQ(to_string(ErrorCode::kUnsatisfiable), "unsatisfiable");
  EXPECT_STREQ(to_string(ErrorCode::kLimit), "limit");
  EXPECT_STREQ(to_string(ErrorCode::kIo), "io");
  EXPECT_STREQ(to_string(ErrorCode::kArgument), "argument");
}

}  // namespace
}  // namespace weir
