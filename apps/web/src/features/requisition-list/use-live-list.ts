import { requisitionListRoutes, requisitionTopic } from '@lis/contract/requisitions/list.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { outdateRequisitions } from '../../domain/requisition-reads.ts'
import { serverEvents } from '../../lib/event-stream.ts'

/** At the least this long between two reads; the random part keeps a hundred screens from asking at the same moment. */
const restMs = 500
const spreadMs = 1_500

/** Work of others moves rows and counts: both are read again when the server says so. Nothing else on the screen changes. */
export const useLiveList = () => {
  const client = useQueryClient()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const later = (work: () => void) => {
      timer = setTimeout(work, restMs + Math.random() * spreadMs)
    }
    const readAgain = () => {
      timer = undefined
      // A row must not go away under the hands of somebody who enters results below it.
      if (isWorkingUnderRow()) {
        client.invalidateQueries({ queryKey: [requisitionListRoutes.statusCount.path] })
        later(readAgain)
      } else outdateRequisitions(client)
    }
    const stop = serverEvents.on(requisitionTopic, () => {
      if (timer === undefined) later(readAgain)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [client])
}

const isWorkingUnderRow = () => document.activeElement?.closest('.subrow input, .subrow textarea') != null
