/** Number of keyctl(2). Other processors keep the keyring of the worker. */
const keyctlNumbers: Partial<Record<NodeJS.Architecture, number>> = { x64: 250, arm64: 219 };

/** KEYCTL_JOIN_SESSION_KEYRING, without a name: a new keyring. Kernels and containers may refuse it. */
const JOIN = 1;

/** A program and its arguments. */
interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
}

/**
 * Runs a program with a session keyring of its own (keyrings(7)). Who inherits that of the worker reads its keys as another user, too, for
 * example those of Kerberos and of encrypted file systems. Node has no system calls, and Perl is part of every Debian. Without Perl, the
 * keyring is shared. The process id stays.
 */
export function withOwnKeyring({ program, args }: ProgramCall): ProgramCall {
  const number = keyctlNumbers[process.arch];
  if (number === undefined) return { program, args };
  const join = `syscall(${number}, ${JOIN}, 0); exec { $ARGV[0] } @ARGV or exit 127`;
  const script = `if command -v perl >/dev/null 2>&1; then exec perl -e '${join}' -- "$@"; fi; exec "$@"`;
  return { program: 'sh', args: ['-c', script, 'sh', program, ...args] };
}
