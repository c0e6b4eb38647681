/** The commands that make a version usable again: one that is scheduled for destruction is restored first. */
export function reviveCommand(version: string, state: string): string {
  const enable = gcloud('enable', version);
  return state === 'DESTROY_SCHEDULED' ? `${gcloud('restore', version)} && ${enable}` : enable;
}

function gcloud(verb: string, version: string): string {
  const [, project, , location, , keyRing, , key, , number] = version.split('/');
  return `gcloud kms keys versions ${verb} ${number} --key=${key} --keyring=${keyRing} --location=${location} --project=${project}`;
}
