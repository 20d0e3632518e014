export type Watched = string;
