export type CheckDomain = string;
