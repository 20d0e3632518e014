/** A row, a statement or a key's values, which PostgreSQL adds to its errors: what people entrusted to us, in clear. */
const SENSITIVE_FIELDS = ['detail', 'where', 'internalQuery', 'query', 'sql', 'parameters', 'params', 'hint', 'raw'];

/** What a log gets to see of an error, after pino's own serializer; its causes stand in the message and the stack. */
export function serializeError(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const shown = Object.entries(error as Record<string, unknown>).filter(([name]) => !SENSITIVE_FIELDS.includes(name));
  return Object.fromEntries(
    shown.map(([name, value]) => [name, name === 'aggregateErrors' ? serializeErrors(value) : value]),
  );
}

function serializeErrors(errors: unknown): unknown {
  return Array.isArray(errors) ? errors.map(serializeError) : errors;
}
