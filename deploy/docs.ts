import { join } from 'node:path';
import { readDeployment } from './deployment.ts';
import { planDeployment } from './plan.ts';
import { renderScript } from './script.ts';
import { renderTables } from './tables.ts';

/** The pages that show something of the settings, each with what brings it up to date. */
export const PAGES: Readonly<Record<string, (page: string) => string>> = {
  'docs/deploy.md': renderTables,
  'docs/operate.md': renderTables,
  'docs/plan.md': renderPlan,
};

function renderPlan(page: string): string {
  const deployment = readDeployment(join(import.meta.dirname, 'deployment.example.json'));
  const script = renderScript(deployment, planDeployment(deployment));
  return page.replace(/^```sh\n[\s\S]*?^```/m, () => `\`\`\`sh\n${script}\`\`\``);
}
