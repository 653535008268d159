/** Sets the time limit of a test in all suites but unit. It only ends what hangs: real servers on a busy machine are slow. */
import { jest } from '@jest/globals';

jest.setTimeout(240_000);
