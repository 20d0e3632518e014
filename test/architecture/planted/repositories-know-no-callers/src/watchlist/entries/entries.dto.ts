export const MAX_TAGS = 1;
