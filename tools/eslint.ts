export { ESLint, type Linter } from 'eslint';
