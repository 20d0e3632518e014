/** How controllers of all modules say who may call a route. Loaded with the documentation of the API, by nothing else. */
export { AllowAnyScope } from './http/allow-any-scope.js';
export { RequiresScope } from './http/requires-scope.js';
