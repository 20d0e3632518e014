import { StartupError } from './startup-error.js';

/** The service found that it can do its work no longer; a new process most likely can. */
export class WorkerStalledError extends StartupError {}
