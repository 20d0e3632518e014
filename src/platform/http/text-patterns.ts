/** For the documentation: no control characters, as `\p{Cc}` has them, in the words of every reader of JSON Schema. */
export const ONE_LINE = String.raw`^[^\u0000-\u001f\u007f-\u009f]*$`;
/** The same, but for tab, line feed and carriage return. */
export const LINES = String.raw`^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$`;
