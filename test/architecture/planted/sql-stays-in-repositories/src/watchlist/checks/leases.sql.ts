export const CLAIM = 1;
