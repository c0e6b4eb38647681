/*
 * A textlint plugin for TypeScript. It reads comments, string literals, templates and JSX text of at least two words.
 * Positions refer to the source file, so that a finding names its line.
 */
import type { TxtDocumentNode, TxtParagraphNode, TxtStrNode } from '@textlint/ast-node-types';
import ts from 'typescript';

/** The position of one piece of prose in the source. */
type Span = { readonly start: number; readonly end: number };

const TWO_WORDS = /[A-Za-z]{2,} [A-Za-z]/;

/** Matches a line of a comment, without the comment's markers. */
const COMMENT_LINE = /[^\s/*].*?(?=\s*(?:\*\/|$))/gm;

/** The interface that textlint expects of a plugin. */
class TypeScriptProcessor {
  availableExtensions() {
    return ['.ts', '.tsx'];
  }

  processor() {
    return {
      preProcess: parse,
      postProcess: (messages: readonly unknown[], filePath = '') => ({ messages, filePath }),
    };
  }
}

export default { Processor: TypeScriptProcessor };

/** Returns textlint's document of a file, with one paragraph for each piece of prose. */
function parse(text: string, path = 'file.tsx'): TxtDocumentNode {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false, kindOf(path));
  const node = located(source, text);
  const children = spansOf(source).map((span): TxtParagraphNode => {
    const value = text.slice(span.start, span.end);
    const str: TxtStrNode = { type: 'Str', value, ...node(span) };
    return { type: 'Paragraph', children: [str], ...node(span) };
  });
  return { type: 'Document', children, ...node({ start: 0, end: text.length }) };
}

function kindOf(path: string): ts.ScriptKind {
  return path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
}

/** Returns the prose of a source file, in source order. */
function spansOf(source: ts.SourceFile): Span[] {
  const spans: Span[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(source);
    // Comments belong to the gap before a node, and a node shares this gap with its first child. Reading only nodes
    // without children finds each comment once.
    if (children.length === 0) spans.push(...commentsBefore(node, source));
    const literal = literalOf(node, source);
    if (literal !== undefined) spans.push(literal);
    children.forEach(visit);
  };
  visit(source);
  return spans.filter(({ start, end }) => TWO_WORDS.test(source.text.slice(start, end)));
}

/**
 * Returns the comment lines between a token and the previous token. Only comments and white space can be in this gap.
 */
function commentsBefore(token: ts.Node, source: ts.SourceFile): Span[] {
  const gap = source.text.slice(token.pos, token.getStart(source));
  return [...gap.matchAll(COMMENT_LINE)].map(({ 0: line, index }) => {
    const start = token.pos + index;
    return { start, end: start + line.length };
  });
}

/** Returns the position of a literal's text, without its quotes or brackets. */
function literalOf(node: ts.Node, source: ts.SourceFile): Span | undefined {
  const start = node.getStart(source);
  if (ts.isJsxText(node)) return { start, end: node.end };
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateTail(node)) {
    return { start: start + 1, end: node.end - 1 };
  }
  if (ts.isTemplateHead(node) || ts.isTemplateMiddle(node)) return { start: start + 1, end: node.end - 2 };
  return undefined;
}

/** Returns a function that turns a span into the position fields of a node in textlint's tree. */
function located(source: ts.SourceFile, text: string) {
  const position = (offset: number) => {
    const { line, character } = source.getLineAndCharacterOfPosition(offset);
    return { line: line + 1, column: character };
  };
  return ({ start, end }: Span) => ({
    raw: text.slice(start, end),
    range: [start, end] as const,
    loc: { start: position(start), end: position(end) },
  });
}
