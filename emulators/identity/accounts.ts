export type Profile = { readonly email?: string; readonly name?: string };

/** The people who have signed in. Everybody can sign in, with any subject. */
export type Accounts = {
  readonly signIn: (subject: string, profile: Profile) => void;
  readonly profile: (subject: string) => Profile;
};

export function makeAccounts(): Accounts {
  const profiles = new Map<string, Profile>();
  return {
    signIn: (subject, profile) => {
      profiles.set(subject, profile);
    },
    profile: (subject) => profiles.get(subject) ?? {},
  };
}
