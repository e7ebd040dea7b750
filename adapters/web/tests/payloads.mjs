// @ts-check
/** What a model might write so that whoever reads it fetches something, runs something or sees another page. */

/** The elements that frame/markdown.js makes, and nothing else. */
export const DRAWN = ['BLOCKQUOTE', 'BUTTON', 'CODE', 'DIV', 'EM', 'H3', 'LI', 'OL', 'P', 'PRE', 'SPAN', 'STRONG', 'TABLE', 'TBODY', 'TD', 'TH', 'TR', 'UL'];
/** Their attributes. */
export const ATTRIBUTES = ['class', 'start', 'tabindex', 'type'];

/** @param {(name: string) => string} to An address for each, so that one that is asked for says which. */
export const payloads = (to) => [
  `![image](${to('image')})`,
  `![image with a title](${to('titled')} "title")`,
  `![by reference][one]`,
  `[one]: ${to('reference')} "a title"`,
  `[![image in a link](${to('inner')})](${to('outer')})`,
  `<${to('autolink')}>`,
  `A bare one: ${to('bare')}?said=what-was-said.`,
  `<img src="${to('img')}" onerror="fetch('${to('onerror')}')">`,
  `<IMG SRCSET='${to('srcset')} 1x'>`,
  `<svg onload="fetch('${to('onload')}')"><image href="${to('svg')}"/></svg>`,
  `<style>* { background: url(${to('style')}) }</style>`,
  `<style>@import "${to('style-import')}";</style>`,
  `<link rel="stylesheet" href="${to('link')}"><link rel=preconnect href="${to('preconnect')}">`,
  `<iframe src="${to('iframe')}"></iframe><iframe srcdoc="<img src=${to('srcdoc')}>"></iframe>`,
  `<object data="${to('object')}"></object><embed src="${to('embed')}">`,
  `<form action="${to('form')}"><input name=password><button autofocus>Log in</button></form>`,
  `<base href="${to('base')}">`,
  `<meta http-equiv="refresh" content="0;url=${to('meta')}">`,
  `<script src="${to('script')}"></script><script>fetch("${to('inline')}")</script>`,
  `<video src="${to('video')}" poster="${to('poster')}" autoplay></video><audio src="${to('audio')}" autoplay></audio>`,
  `<div style="background-image: url('${to('attribute')}')">styled</div>`,
  `<details open ontoggle="fetch('${to('toggle')}')"><summary>x</summary></details>`,
  `<dialog open id="question"><button id="question-yes">Yes, do it</button></dialog>`,
  `<input type=image src="${to('input')}"><a href="${to('anchor')}" ping="${to('ping')}">here</a>`,
  `<math href="${to('math')}"><mtext>x</mtext></math><template><img src="${to('template')}"></template>`,
  `[script](javascript:fetch("${to('javascript')}"))`,
  `[SCRIPT](JaVaScRiPt:alert(1)) [tab](java\tscript:alert(1)) [vb](vbscript:x)`,
  `[data](data:text/html,<script>alert(1)</script>) [file](file:///etc/passwd) [blob](blob:x)`,
  `[relative](/rpc?leak) [protocol](//evil.test/x) [hash](#log)`,
  `[quoted](${to('quoted')} "\\" onmouseover=\\"fetch('${to('mouse')}')")`,
  `[](${to('unnamed')}) [ ](${to('blank')}) [a](${to('a')})[b](${to('b')})`,
  `[looks like https://bank.example](${to('other')})`,
  `&lt;img src=&quot;${to('entities')}&quot;&gt; &#60;img src=x onerror=alert(1)&#62;`,
  `\`<img src="${to('code')}">\` and **<img src="${to('bold')}">** and *<img src="${to('em')}">*`,
  `# <img src="${to('heading')}">`,
  `> <img src="${to('quote')}"> ![x](${to('quoted-image')})`,
  `- ![x](${to('item')})\n- <img src="${to('item-raw')}">\n\n1. ![x](${to('number')})`,
  `| ![x](${to('cell')}) | <img src="${to('cell-raw')}"> |\n|---|---|\n| [x](javascript:alert(1)) | <script>alert(1)</script> |`,
  `\`\`\`html\n<img src="${to('fenced')}">\n\`\`\``,
  `$$\\href{${to('tex')}}{x}$$ :::{img src=${to('directive')}}::: [[${to('wiki')}]]`,
  '\u202Egnp.exe\u2066 \u0000 \uFEFF zero\u200Bwidth',
  '*'.repeat(3000), '['.repeat(3000), `a ${'`'.repeat(3001)}`, '![]('.repeat(1000), '> '.repeat(1000), '**a'.repeat(1000), 'x'.repeat(3000), '<'.repeat(3000),
];
