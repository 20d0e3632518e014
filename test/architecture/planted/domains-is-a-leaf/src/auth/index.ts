export type Account = string;
