/**
 * JSON Schema pattern: no control characters and no lone surrogates (`\p{Cc}`, `\p{Cs}`), without Unicode properties.
 * Matched by code points, so emoji are allowed.
 */
export const SINGLE_LINE_PATTERN = String.raw`^[^\u0000-\u001f\u007f-\u009f\ud800-\udfff]*$`;
/** The same, with tab, line feed and carriage return allowed. */
export const MULTI_LINE_PATTERN = String.raw`^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ud800-\udfff]*$`;
/** `SINGLE_LINE_PATTERN` for validators. */
export const SINGLE_LINE = /^[^\p{Cc}\p{Cs}]*$/u;
