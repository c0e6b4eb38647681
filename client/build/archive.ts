import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/** Options of GNU tar with which the archive does not depend on the time, the user or the order of files. */
const SAME_BYTES = [
  '--sort=name',
  '--mtime=@0',
  '--owner=0',
  '--group=0',
  '--numeric-owner',
  '--mode=u+rw,go=rX',
  '--format=ustar',
];
/** An executable has about 130 MiB. */
const ARCHIVE_BYTES = 512 * 1024 * 1024;

/** Packs a folder into a compressed archive. Two archives of the same files have the same bytes. */
export function packArchive(parent: string, folder: string, file: string): void {
  const tar = execFileSync('tar', [...SAME_BYTES, '-cf', '-', '-C', parent, folder], { maxBuffer: ARCHIVE_BYTES });
  writeFileSync(file, gzipSync(tar, { level: 6 }));
}
