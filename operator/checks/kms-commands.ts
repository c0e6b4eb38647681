/** Returns the commands that enable a version. If its destruction is scheduled, it must be restored first. */
export function reviveCommand(version: string, state: string): string {
  const enable = gcloud('enable', version);
  return state === 'DESTROY_SCHEDULED' ? `${gcloud('restore', version)} && ${enable}` : enable;
}

function gcloud(verb: string, version: string): string {
  const [, project, , location, , keyRing, , key, , number] = version.split('/');
  return `gcloud kms keys versions ${verb} ${number} --key=${key} --keyring=${keyRing} --location=${location} --project=${project}`;
}
