import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The store's content as the emulator last exported it, in a folder of its own. */
export type Exports = {
  /** The file that the emulator takes at its start; undefined while nothing has been exported. */
  readonly seed: () => string | undefined;
  /** Exports now. Rejects when the emulator refuses; the export before stays in force. */
  readonly save: () => Promise<void>;
};

/**
 * Keeps exports in the folder. A new one is written beside the old one, then a pointer file is switched to it in one
 * step, so that a crash at any moment leaves one whole export.
 */
export function openExports(folder: string, emulator: string, projectId: string): Exports {
  mkdirSync(folder, { recursive: true });
  const pointer = join(folder, 'current');
  const current = (): string | undefined =>
    existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() || undefined : undefined;
  let saving: Promise<void> = Promise.resolve();

  const saveNow = async (): Promise<void> => {
    const name = `export-${Date.now()}`;
    rmSync(join(folder, name), { recursive: true, force: true });
    const response = await fetch(`http://${emulator}/emulator/v1/projects/${projectId}:export`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        database: `projects/${projectId}/databases/(default)`,
        export_directory: folder,
        export_name: name,
      }),
    });
    if (!response.ok) throw new Error(`the Firestore emulator did not export: ${await response.text()}`);
    writeFileSync(`${pointer}.new`, name);
    renameSync(`${pointer}.new`, pointer);
    for (const old of readdirSync(folder)) {
      if (old.startsWith('export-') && old !== name) rmSync(join(folder, old), { recursive: true });
    }
  };

  return {
    seed: () => {
      const name = current();
      if (name === undefined) return undefined;
      const file = join(folder, name, `${name}.overall_export_metadata`);
      return existsSync(file) ? file : undefined;
    },
    save: () => {
      saving = saving.catch(() => undefined).then(saveNow);
      return saving;
    },
  };
}
