export type Config = string;
