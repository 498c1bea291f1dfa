import { requisitionListRoutes, requisitionTopic } from '@lis/contract/requisitions/list.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { invalidateRequisitions } from '../../domain/invalidate-requisitions.ts'
import { serverEvents } from '../../lib/event-stream.ts'

/** Minimum time between two reads; the random part keeps many screens from asking at the same moment. */
const minDelayMs = 500
const spreadMs = 1_500

/** Reads rows and counts again when the server reports changes by other users. */
export const useLiveList = () => {
  const client = useQueryClient()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const later = (work: () => void) => {
      timer = setTimeout(work, minDelayMs + Math.random() * spreadMs)
    }
    const readAgain = () => {
      timer = undefined
      // A row must not disappear while results are being entered below it.
      if (isWorkingUnderRow()) {
        client.invalidateQueries({ queryKey: [requisitionListRoutes.statusCount.path] })
        later(readAgain)
      } else invalidateRequisitions(client)
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
