import { runTogether } from '../support/run-together.js';

runTogether(import.meta.filename);
