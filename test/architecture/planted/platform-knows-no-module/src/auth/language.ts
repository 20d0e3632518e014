export type Scope = string;
