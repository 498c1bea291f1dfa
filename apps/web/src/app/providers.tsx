import createCache from '@emotion/cache'
import { CacheProvider } from '@emotion/react'
import { ThemeProvider } from '@mui/material/styles'
import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { duplicateQuestionBodies } from '../domain/duplicate-question.tsx'
import { patientQuestionBodies } from '../domain/identity-question.tsx'
import { queryClient, resetOnSessionChange } from '../lib/query.ts'
import { keepFocus } from '../ui/keep-focus.ts'
import { NoticeProvider } from '../ui/notices.tsx'
import { QuestionProvider } from '../ui/question-dialog.tsx'
import { styleNonce } from '../ui/style-nonce.ts'
import { theme } from '../ui/theme.ts'

const questionBodies = { ...patientQuestionBodies, ...duplicateQuestionBodies }

const styleCache = createCache({ key: 'lis', nonce: styleNonce, prepend: true })

export const Providers = ({ children }: { children: ReactNode }) => {
  useEffect(resetOnSessionChange, [])
  useEffect(keepFocus, [])
  return (
    <CacheProvider value={styleCache}>
      <ThemeProvider theme={theme}>
        <QueryClientProvider client={queryClient}>
          <NoticeProvider>
            <QuestionProvider bodies={questionBodies}>{children}</QuestionProvider>
          </NoticeProvider>
        </QueryClientProvider>
      </ThemeProvider>
    </CacheProvider>
  )
}
