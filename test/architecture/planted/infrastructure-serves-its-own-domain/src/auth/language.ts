export type AccountId = string;
