/** What a person said of themselves at the login page. */
export type Profile = { readonly email?: string; readonly name?: string };

/** Everyone who has signed in; any subject may. */
export type Accounts = {
  readonly signIn: (subject: string, profile: Profile) => void;
  readonly profile: (subject: string) => Profile;
};

/** Makes a register without anyone in it. */
export function makeAccounts(): Accounts {
  const profiles = new Map<string, Profile>();
  return {
    signIn: (subject, profile) => {
      profiles.set(subject, profile);
    },
    profile: (subject) => profiles.get(subject) ?? {},
  };
}
