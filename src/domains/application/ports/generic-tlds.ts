/** Which TLDs are generic, as a port. */
export abstract class GenericTlds {
  /** False also where that is not known. */
  abstract has(tld: string): boolean;
}
