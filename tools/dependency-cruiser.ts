export { cruise, type IConfiguration, type ICruiseResult, type IViolation } from 'dependency-cruiser';
export { default as extractTSConfig } from 'dependency-cruiser/config-utl/extract-ts-config';
