export { check, format, resolveConfig } from 'prettier';
