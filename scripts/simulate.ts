import { runSimulation } from './simulation/run-simulation.js';

/**
 * `npm run -s simulate -- --names 100e6 --workers 8 --interval-hours 24`: what claims, rate limits and lag become in an
 * installation that does not exist yet, from the costs that the bench measured. See docs/scaling.md.
 */
process.exitCode = runSimulation(process.argv.slice(2));
