/**
 * For the documentation: no control characters and no half of a surrogate pair, as `\p{Cc}` and `\p{Cs}` have them, in
 * words that know no properties. Read by code points, as JSON Schema wants patterns read: an emoji is no surrogate.
 */
export const SINGLE_LINE_PATTERN = String.raw`^[^\u0000-\u001f\u007f-\u009f\ud800-\udfff]*$`;
/** The same, but for tab, line feed and carriage return. */
export const MULTI_LINE_PATTERN = String.raw`^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ud800-\udfff]*$`;
/** What `SINGLE_LINE_PATTERN` documents, for who validates. */
export const SINGLE_LINE = /^[^\p{Cc}\p{Cs}]*$/u;
