export const entryController = 1;
