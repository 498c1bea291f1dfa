import { documentRoutes, type RequisitionDocument } from '@lis/contract/documents.ts'
import { messages } from '@lis/contract/messages.ts'
import { useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { call } from '../../lib/api.ts'
import { events } from '../../lib/events.ts'
import { finishDownload } from '../../ui/list-page/export-all.tsx'

/** Opens a document: viewed on a phone, otherwise downloaded. */
export const useDocumentFile = ({ id: docId, reqId: id }: Pick<RequisitionDocument, 'id' | 'reqId'>) => {
  const isSmall = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true })
  const open = async () => {
    // Opened before the answer, or the pop-up blocker would stop it.
    const viewer = isSmall ? window.open('', '_blank') : null
    try {
      const { data } = await call(isSmall ? documentRoutes.view : documentRoutes.download, { params: { id, docId } })
      if (viewer) viewer.location.href = data.url
      else finishDownload({ type: 'info', message: messages.downloadNotice, url: data.url })
    } catch (error) {
      viewer?.close()
      events.emit('notice', { type: 'error', message: (error as Error).message })
    }
  }
  return { open, verb: isSmall ? ('View' as const) : ('Download' as const) }
}
