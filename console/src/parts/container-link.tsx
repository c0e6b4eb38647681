import { Link } from '../address/link.tsx';
import { pathOfContainer } from '../address/paths.ts';
import { useAnswer } from '../service/answer.ts';
import { containers } from '../service/answers.ts';
import { shortened } from './id.tsx';

/** A link to a container. Its text is the container's name, once the containers are loaded. */
export function ContainerLink({ id }: { readonly id: string }) {
  const { value: places = [] } = useAnswer(containers.of());
  return <Link to={pathOfContainer(id)}>{places.find((place) => place.id === id)?.name ?? shortened(id)}</Link>;
}
