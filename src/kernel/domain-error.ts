/** Facts about a refusal; the HTTP layer maps each code to a status. */
export type RefusalDetails = Readonly<Record<string, unknown>>;

/**
 * A business rule refused the request. `code` is stable snake_case and part of the API; `details` become members of the
 * problem document (such as `allowed_values`).
 */
export class DomainError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly details: RefusalDetails = {},
  ) {
    super(message);
    this.name = new.target.name;
  }
}
