import { useRouter } from 'vue-router';
import { VIEW_FILE_ENDING, writeViewFile, writeViewLink } from '../../../src-main/common/links/view-link.ts';
import { saveText } from '../../composables/save-file.ts';

/** Returns a function that copies a link to the screen as it is, or saves a file that opens it. Neither holds records. */
export function useSharedPlace(): (as: 'link' | 'file') => Promise<void> {
  const router = useRouter();
  return async (as) => {
    const { fullPath, name } = router.currentRoute.value;
    if (as === 'link') await navigator.clipboard.writeText(writeViewLink(fullPath));
    else
      saveText(`${String(name)}${VIEW_FILE_ENDING}`, writeViewFile(fullPath), 'application/x-channelscope');
  };
}
