export const DomainsModule = 1;
