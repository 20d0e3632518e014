/** Fields with user data that PostgreSQL and the ORM add to errors: rows, statements, key values. */
const SENSITIVE_FIELDS = ['detail', 'where', 'internalQuery', 'query', 'sql', 'parameters', 'params', 'hint', 'raw'];

/** Runs after pino's own serializer; causes are already in the message and the stack. */
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
