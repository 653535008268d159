/**
 * A real S3 server for the tests where none is given: Ceph's radosgw with a monitor and one object store daemon in memory, from Debian's
 * packages. All files are in one folder, which is deleted at the end. Starts in about 2 s.
 */
import {
  findFreePort,
  spawnSupervised,
  OutputTail,
  waitUntilReady,
  type SupervisedChild,
  type ChildSpec,
} from '@pilothouse/infra-embedded';
import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Address and credentials of the S3 server for tests. */
export interface S3Server {
  endpoint: string;
  accessKey: string;
  secretKey: string;
  stop(): Promise<void>;
}

/**
 * Starts it in `dir`, which is emptied first. @throws Error with the last output lines of a process that did not start
 */
export async function startRadosgw(dir: string, log: (line: string) => void): Promise<S3Server> {
  rmSync(dir, { recursive: true, force: true });
  for (const part of ['mon', 'osd', 'run']) mkdirSync(join(dir, part), { recursive: true });
  const [monPort, port] = [await findFreePort(6789), await findFreePort(7480)];
  const file = join(dir, 'ceph.conf');
  const fsid = randomUUID();
  const accessKey = randomBytes(10).toString('hex');
  const secretKey = randomBytes(20).toString('hex');
  writeFileSync(file, configuration({ dir, fsid, monPort, port }));

  const ceph = (program: string, ...args: string[]) => run(program, ['-c', file, ...args], { timeout: 60_000 });
  const keyring = join(dir, 'keyring');
  const key = (name: string, ...caps: string[]) =>
    run('ceph-authtool', [keyring, '--gen-key', '-n', name, ...caps.flatMap((cap) => ['--cap', ...cap.split(': ')])]);
  const map = join(dir, 'monmap');
  await run('ceph-authtool', [keyring, '--create-keyring']);
  await key('mon.', 'mon: allow *');
  await key('client.admin', 'mon: allow *', 'osd: allow *', 'mgr: allow *');
  await key('osd.0', 'mon: allow profile osd', 'osd: allow *');
  await run('monmaptool', ['--create', '--clobber', '--fsid', fsid, '--addv', 'a', `[v2:127.0.0.1:${monPort}]`, map]);
  await ceph('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map, '--keyring', keyring);

  const children: SupervisedChild[] = [];
  const stop = async () => {
    for (const child of children.reverse()) await child.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  const tail = new OutputTail();
  const start = async (command: string, ...args: string[]) => {
    const child = await spawnSupervised(
      daemon(command, ['-c', file, ...args, '-f'], (line) => (tail.push(line), log(line))),
    );
    children.push(child);
    return child;
  };
  try {
    await start('ceph-mon', '-i', 'a');
    const uuid = randomUUID();
    await ceph('ceph', 'osd', 'new', uuid);
    await ceph('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', uuid);
    await start('ceph-osd', '-i', '0');
    const user = ['--uid=test', '--display-name=test', `--access-key=${accessKey}`, `--secret-key=${secretKey}`];
    await ceph('radosgw-admin', 'user', 'create', ...user);
    const gateway = await start('radosgw', '-n', 'client.admin');
    const endpoint = `http://127.0.0.1:${port}`;
    const probe = async () => {
      await fetch(endpoint, { signal: AbortSignal.timeout(2000) });
    };
    await waitUntilReady('radosgw', gateway, tail, probe, { deadlineMs: 60_000 });
    return { endpoint, accessKey, secretKey, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const daemon = (command: string, args: string[], onLine: (line: string) => void): ChildSpec => ({
  command,
  args,
  onLine,
  env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' },
  stopSteps: [{ signal: 'SIGKILL', graceMs: 2000 }], // No data is kept.
});

const configuration = ({ dir, fsid, monPort, port }: { dir: string; fsid: string; monPort: number; port: number }) => `
[global]
fsid = ${fsid}
mon_host = v2:127.0.0.1:${monPort}
mon_initial_members = a
public_addr = 127.0.0.1
ms_bind_ipv6 = false
auth_cluster_required = cephx
auth_service_required = cephx
auth_client_required = cephx
keyring = ${dir}/keyring
mon_data = ${dir}/mon
mon_data_avail_crit = 1
mon_allow_pool_size_one = true
mon_warn_on_pool_no_redundancy = false
# a single monitor has no peer: a change of the map takes 20 ms and not a second
paxos_propose_interval = 0.02
paxos_min_wait = 0.01
osd_data = ${dir}/osd
osd_objectstore = memstore
memstore_device_bytes = 2147483648
osd_crush_chooseleaf_type = 0
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
run_dir = ${dir}/run
admin_socket =
pid_file =
log_file = ${dir}/$name.log
rgw_frontends = beast endpoint=127.0.0.1:${port}
rgw_enable_usage_log = false
rgw_run_sync_thread = false
`;
