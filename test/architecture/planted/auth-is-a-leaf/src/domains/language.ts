export type DomainName = string;
