import { useRouter } from 'vue-router';
import { writeViewLink } from '../../../src-main/common/links/view-link.ts';

/** Returns a function that copies a link to the screen as it is. It holds no records. */
export function useSharedPlace(): () => Promise<void> {
  const router = useRouter();
  return () => navigator.clipboard.writeText(writeViewLink(router.currentRoute.value.fullPath));
}
