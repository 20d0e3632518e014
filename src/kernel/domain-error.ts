/** What a refusal is about; the HTTP side maps each code to a status in one catalogue. */
export type RefusalDetails = Readonly<Record<string, unknown>>;

/**
 * A request that the rules refuse. `code` is stable snake_case and part of the API; `details` become members of
 * the problem document (for instance `allowed_values`).
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
