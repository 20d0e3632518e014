export { MovableClock } from './testing/movable-clock.js';
