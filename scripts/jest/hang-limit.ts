/**
 * Sets the time limit of a test in all suites except unit. It only ends tests that hang: real servers on a busy machine
 * are slow.
 */
import { limitTests } from './test-limit.ts';

limitTests(240_000);
