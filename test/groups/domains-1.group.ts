import { runTogether } from '../support/runner/run-together.js';

runTogether(import.meta.filename);
